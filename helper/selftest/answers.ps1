# Each function returns answers: does this Windows provide what the helper requires? The answers have no names or addresses of the
# network, so that they can be published.

# Result: ok, differs (from what the helper requires), failed (could not be determined), info (recorded without an expectation).
function New-Answer {
    param(
        [Parameter(Mandatory = $true)][string]$Area,
        [Parameter(Mandatory = $true)][string]$Name,
        [Parameter(Mandatory = $true)][ValidateSet('ok', 'differs', 'failed', 'info')][string]$Result,
        [AllowNull()][object]$Seen = $null,
        [AllowNull()][object]$Expected = $null
    )
    $answer = [ordered]@{ area = $Area; name = $Name; result = $Result }
    if ($null -ne $Seen) { $answer.seen = [string]$Seen }
    if ($null -ne $Expected) { $answer.expected = [string]$Expected }
    [pscustomobject]$answer
}

function Get-PlatformAnswer {
    $os = Get-CimInstance -ClassName Win32_OperatingSystem
    New-Answer -Area platform -Name windows -Result info -Seen ('{0} {1}' -f $os.Version, $os.OSLanguage)
    New-Answer -Area platform -Name powershell -Result info -Seen ('{0} {1} CLR {2}' -f $PSVersionTable.PSVersion, $PSVersionTable.PSEdition, [System.Environment]::Version)
    $mode = [string]$ExecutionContext.SessionState.LanguageMode
    # Application control (WDAC, AppLocker) enforces the constrained language mode, in which the helper cannot work.
    if ($mode -eq 'FullLanguage') { New-Answer -Area platform -Name language-mode -Result ok -Seen $mode } else { New-Answer -Area platform -Name language-mode -Result differs -Seen $mode -Expected FullLanguage }
    New-Answer -Area platform -Name culture -Result info -Seen ('{0} {1}' -f [System.Globalization.CultureInfo]::CurrentCulture.Name, [System.Globalization.CultureInfo]::InstalledUICulture.Name)
    $user = [string][System.Environment]::UserName
    New-Answer -Area platform -Name user -Result info -Seen $user
    # Group policies override -ExecutionPolicy Bypass: with AllSigned no task of the helper runs.
    New-Answer -Area platform -Name execution-policy -Result info -Seen ([string]::Join(', ', @(Get-ExecutionPolicy -List | ForEach-Object -Process { '{0}: {1}' -f $_.Scope, $_.ExecutionPolicy })))
}

function Get-ClassAnswer {
    $namespaces = Get-ClassContract
    foreach ($namespace in $namespaces.Keys) {
        foreach ($class in $namespaces[$namespace].Keys) {
            try {
                $found = @{}
                foreach ($property in @((Get-CimClass -Namespace $namespace -ClassName $class).CimClassProperties)) { $found[$property.Name] = [string]$property.CimType }
            } catch {
                $failure = ConvertTo-ErrorObject -ErrorRecord $_
                New-Answer -Area class -Name $class -Result failed -Seen "$($failure.kind): $($failure.message)"
                continue
            }
            $otherwise = @(foreach ($wanted in $namespaces[$namespace][$class].Split(' ')) {
                    $name, $type = $wanted.Split(':')
                    if (-not $found.ContainsKey($name)) { "$name is missing" } elseif ($null -ne $type -and $found[$name] -ne $type) { "$name is $($found[$name]), not $type" }
                })
            if ($otherwise.Count -eq 0) { New-Answer -Area class -Name $class -Result ok } else { New-Answer -Area class -Name $class -Result differs -Seen ([string]::Join('; ', $otherwise)) }
        }
    }
}

function Get-CmdletAnswer {
    $cmdlets = Get-CmdletContract
    foreach ($name in $cmdlets.Keys) {
        $command = Get-Command -Name $name -ErrorAction Ignore
        if ($null -eq $command) {
            New-Answer -Area cmdlet -Name $name -Result differs -Seen 'missing'
            continue
        }
        $missing = @($cmdlets[$name].Split(' ') | Where-Object -FilterScript { $_ -ne '' -and -not $command.Parameters.ContainsKey($_) })
        if ($missing.Count -eq 0) { New-Answer -Area cmdlet -Name $name -Result ok } else { New-Answer -Area cmdlet -Name $name -Result differs -Seen "without $([string]::Join(', ', $missing))" }
    }
    foreach ($name in @(Get-ProgramContract)) {
        if (Test-Path -LiteralPath (Get-SystemProgram -Name $name)) { New-Answer -Area program -Name $name -Result ok } else { New-Answer -Area program -Name $name -Result differs -Seen 'missing' }
    }
}

# Only names of fields and counts, no values.
function Get-HnsAnswer {
    $client = Get-HnsClient
    $raw = [string]$client.Call('GET', '/networks', '')
    $order = [string]::Join(' ', @([regex]::Matches($raw, '"(Success|Output|Error|ErrorCode)"\s*:') | ForEach-Object -Process { $_.Groups[1].Value } | Select-Object -Unique))
    New-Answer -Area hns -Name envelope -Result info -Seen $order
    New-Answer -Area hns -Name module -Result info -Seen ($null -ne (Get-Command -Name Get-HnsNetwork -ErrorAction Ignore))
    $wanted = @{
        networks    = 'ID Name Type Subnets ManagementIP LayeredOn Extensions Flags Policies DrMacAddress NetworkAdapterName'
        endpoints   = 'ID Name VirtualNetwork IPAddress MacAddress State Policies SharedContainers CompartmentId CreateProcessingStartTime Namespace'
        policylists = 'ID Policies References State'
    }
    foreach ($kind in $wanted.Keys) {
        $objects = @(Get-HnsObject -Kind $kind)
        $fields = @($objects | ForEach-Object -Process { $_.PSObject.Properties } | ForEach-Object -Process { $_.Name } | Select-Object -Unique)
        $missing = @($wanted[$kind].Split(' ') | Where-Object -FilterScript { $fields -notcontains $_ })
        $others = @($fields | Where-Object -FilterScript { $wanted[$kind].Split(' ') -notcontains $_ })
        New-Answer -Area hns -Name $kind -Result info -Seen ('{0} objects; without {1}; also {2}' -f $objects.Count, [string]::Join(' ', $missing), [string]::Join(' ', $others))
    }
    foreach ($kind in @('namespaces', 'portpools')) {
        $json = Invoke-HnsCall -Method GET -Path "/$kind"
        $names = @([regex]::Matches($json, '"([A-Za-z]+)"\s*:') | ForEach-Object -Process { $_.Groups[1].Value } | Select-Object -Unique)
        New-Answer -Area hns -Name $kind -Result info -Seen ('{0}... {1}' -f $json.Substring(0, 1), [string]::Join(' ', $names))
    }
}

# Registers a task like the guard of a plan, but disabled, so that no trigger starts it; reads it and removes it.
function Get-TaskAnswer {
    $name = "kubectl-win-selftest-$PID"
    $splatTask = @{
        TaskName    = $name
        TaskPath    = '\'
        Action      = New-ScheduledTaskAction -Execute (Get-SystemProgram -Name cmd.exe) -Argument '/c exit 0'
        Trigger     = @(Get-HelperTaskTrigger -AtStartup $true -EveryMinutes 2)
        Principal   = Get-HelperTaskPrincipal
        Settings    = Get-HelperTaskSetting -HourLimit 0 -Disabled $true
        Description = 'Created and removed by the self-test of kubectl win; never started'
        Force       = $true
    }
    [void](Register-ScheduledTask @splatTask)
    try {
        $info = Get-ScheduledTaskInfo -TaskName $name -TaskPath '\'
        $state = Get-ScheduledTask | Where-Object -FilterScript { $_.TaskName -eq $name } | ForEach-Object -Process { ConvertTo-EnumName -Kind TaskState -Value $_.State } | Select-Object -First 1
        if ($state -eq 'Disabled') { New-Answer -Area task -Name register -Result ok } else { New-Answer -Area task -Name register -Result differs -Seen $state -Expected 'Disabled' }
        New-Answer -Area task -Name never-run -Result info -Seen ('LastRunTime {0}, LastTaskResult {1}' -f (ConvertTo-Shape -Value (Get-Field -InputObject $info -Name LastRunTime)), (Get-Field -InputObject $info -Name LastTaskResult))
    } finally {
        Unregister-ScheduledTask -TaskName $name -TaskPath '\' -Confirm:$false
    }
    $left = @(Get-ScheduledTask | Where-Object -FilterScript { $_.TaskName -eq $name })
    if ($left.Count -eq 0) { New-Answer -Area task -Name unregister -Result ok } else { New-Answer -Area task -Name unregister -Result differs -Seen 'exists' -Expected 'removed' }
}

function Get-OvsAnswer {
    $pipes = @(Get-OvsPipe -Socket 'db.sock') + @(Get-OvsServerSocket | ForEach-Object -Process { Get-OvsPipe -Socket $_ }) | Select-Object -Unique
    foreach ($pipe in $pipes) {
        try {
            $stream = Open-Pipe -Path $pipe -TimeoutMs 2000
            if ($null -eq $stream) { New-Answer -Area ovs -Name $pipe -Result info -Seen 'absent'; continue }
            $stream.Dispose()
            New-Answer -Area ovs -Name $pipe -Result ok -Seen 'opened'
        } catch {
            $failure = ConvertTo-ErrorObject -ErrorRecord $_
            New-Answer -Area ovs -Name $pipe -Result failed -Seen "$($failure.kind): $($failure.message)"
        }
    }
    New-Answer -Area ovs -Name ovs-vsctl -Result info -Seen ($null -ne (Find-OvsProgram))
}

# Facts that are not documented, and those that are not tested because that would change the node.
function Get-QuestionAnswer {
    foreach ($class in @('MSFT_NetRoute', 'MSFT_NetIPAddress')) {
        $stores = @(Get-CimInstance -Namespace root/StandardCimv2 -ClassName $class | ForEach-Object -Process { [string]$_.Store })
        New-Answer -Area question -Name "stores-of-$class" -Result info -Seen (Format-Count -Values $stores)
    }
    New-Answer -Area question -Name persistent-routes-by-name -Result info -Seen (Measure-Answer -Work { @(Get-NetRoute -PolicyStore PersistentStore).Count })
    $sources = @(Get-CimInstance -Namespace root/StandardCimv2 -ClassName MSFT_NetFirewallRule | ForEach-Object -Process { [string]$_.PolicyStoreSourceType })
    New-Answer -Area question -Name firewall-rules-by-class -Result info -Seen (Format-Count -Values $sources)
    New-Answer -Area question -Name firewall-rules-active -Result info -Seen (Measure-Answer -Work { Format-Count -Values @(Get-NetFirewallRule -PolicyStore ActiveStore | ForEach-Object -Process { [string][int]$_.PolicyStoreSourceType }) })
    $servers = @(Get-CimInstance -Namespace root/StandardCimv2 -ClassName MSFT_DNSClientServerAddress | ForEach-Object -Process { ConvertTo-Shape -Value $_.ServerAddresses })
    New-Answer -Area question -Name name-servers-unset -Result info -Seen (Format-Count -Values $servers)
    $nats = @(Get-CimInstance -Namespace root/StandardCimv2 -ClassName MSFT_NetNat | ForEach-Object -Process { [string]$_.Active })
    New-Answer -Area question -Name nat-active -Result info -Seen (Format-Count -Values $nats)
    $adapters = @(Get-CimInstance -Namespace root/StandardCimv2 -ClassName MSFT_NetAdapter)
    $physical = @($adapters | Where-Object -FilterScript { $_.HardwareInterface -and -not $_.Hidden } | ForEach-Object -Process { Get-AdapterMacAddress -Adapter $_ })
    $alike = @($adapters | Where-Object -FilterScript { $_.Hidden -and $physical -contains (Get-AdapterMacAddress -Adapter $_) })
    New-Answer -Area question -Name hidden-adapters -Result info -Seen ('{0} of {1}, {2} with the address of a NIC' -f @($adapters | Where-Object -FilterScript { $_.Hidden }).Count, $adapters.Count, $alike.Count)
    $hns = Get-CimInstance -ClassName Win32_Service | Where-Object -FilterScript { $_.Name -eq 'hns' } | Select-Object -First 1
    $sharing = @(Get-CimInstance -ClassName Win32_Service | Where-Object -FilterScript { $null -ne $hns -and [int]$hns.ProcessId -ne 0 -and $_.ProcessId -eq $hns.ProcessId })
    New-Answer -Area question -Name services-in-the-process-of-hns -Result info -Seen $sharing.Count
    New-Answer -Area question -Name event-messages -Result info -Seen (Measure-Answer -Work {
            $events = @(Get-WinEvent -FilterHashtable @{ LogName = 'System'; ProviderName = 'Service Control Manager' } -MaxEvents 20)
            '{0} of {1} empty' -f @($events | Where-Object -FilterScript { [string]::IsNullOrEmpty($_.Message) }).Count, $events.Count
        })
    foreach ($untried in @('overlay-made-again-by-v1', 'empty-list-of-name-servers', 'access-lists-of-foreign-folders')) {
        New-Answer -Area question -Name $untried -Result info -Seen 'not tested: it would change the node'
    }
}

# The formats of ids in Hyper-V, with # for each id.
function Get-SwitchAnswer {
    foreach ($class in @('Msvm_EthernetPortAllocationSettingData', 'Msvm_EthernetSwitchHardwareOffloadSettingData')) {
        New-Answer -Area hyper-v -Name "ids-of-$class" -Result info -Seen (Format-Count -Values @(Get-HyperV -ClassName $class | ForEach-Object -Process { Hide-Id -Text $_.InstanceID }))
    }
    New-Answer -Area hyper-v -Name names-of-extensions -Result info -Seen (Format-Count -Values @(Get-HyperV -ClassName Msvm_EthernetSwitchExtension | ForEach-Object -Process { Hide-Id -Text $_.Name }))
}

function Hide-Id {
    param([AllowNull()][AllowEmptyString()][string]$Text)
    $Text -replace '[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}', '#'
}

# "0: 12, 1: 34": each value with its count.
function Format-Count {
    param([AllowEmptyCollection()][string[]]$Values)
    $counts = [ordered]@{}
    foreach ($value in $Values) { if ($counts.Contains($value)) { $counts[$value]++ } else { $counts[$value] = 1 } }
    if ($counts.Count -eq 0) { return 'none' }
    [string]::Join(', ', @($counts.Keys | ForEach-Object -Process { '{0}: {1}' -f $_, $counts[$_] }))
}

function ConvertTo-Shape {
    param([AllowNull()][object]$Value)
    if ($null -eq $Value) { return 'null' }
    if ($Value -is [System.Array]) { return 'list of {0}' -f $Value.Count }
    $Value.GetType().Name
}

# If one question fails, the others are still answered.
function Measure-Answer {
    param([Parameter(Mandatory = $true)][scriptblock]$Work)
    try { & $Work } catch { 'failed: ' + (ConvertTo-ErrorObject -ErrorRecord $_).message }
}

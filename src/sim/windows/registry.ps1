# The registry: HKLM: paths are answered here, all others by the real cmdlets.

function Get-RegistryRows {
    $state = Read-State
    @(Get-Rows $state registry)
    [pscustomobject]@{ Path = 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion'; Name = 'UBR'; Value = $state.sections.os.UBR }
    $options = @('NOEXECUTE=OPTIN')
    if ($state.sections.bootOptions.TestSigning) { $options += 'TESTSIGNING' }
    if ($state.sections.bootOptions.NoIntegrityChecks) { $options += 'NOINTEGRITYCHECKS' }
    [pscustomobject]@{ Path = 'HKLM:\SYSTEM\CurrentControlSet\Control'; Name = 'SystemStartOptions'; Value = " $($options -join '  ')" }
    # This key exists on every Windows.
    $machine = 'HKLM:\SYSTEM\CurrentControlSet\Control\Session Manager\Environment'
    [pscustomobject]@{ Path = $machine; Name = 'ComSpec'; Value = 'C:\Windows\system32\cmd.exe' }
    foreach ($variable in @(Get-Rows $state environment)) { [pscustomobject]@{ Path = $machine; Name = $variable.Name; Value = $variable.Value } }
    # NameServer is set manually; DhcpNameServer comes from a lease.
    foreach ($adapter in @(Get-Rows $state netAdapters)) {
        foreach ($version in @('IPv4', 'IPv6')) {
            $path = "HKLM:\SYSTEM\CurrentControlSet\Services\$(if ($version -eq 'IPv6') { 'Tcpip6' } else { 'Tcpip' })\Parameters\Interfaces\$($adapter.InterfaceGuid)"
            $servers = @(Get-ManualServer -State $state -InterfaceIndex $adapter.InterfaceIndex -Family $version)
            [pscustomobject]@{ Path = $path; Name = 'NameServer'; Value = $servers -join ',' }
        }
    }
    foreach ($service in @(Get-Rows $state services)) {
        if ($service.Application) {
            $parameters = "HKLM:\SYSTEM\CurrentControlSet\Services\$($service.Name)\Parameters"
            [pscustomobject]@{ Path = $parameters; Name = 'Application'; Value = $service.Application }
            [pscustomobject]@{ Path = $parameters; Name = 'AppParameters'; Value = $service.AppParameters }
        }
        [pscustomobject]@{ Path = "HKLM:\SYSTEM\CurrentControlSet\Services\$($service.Name)"; Name = 'DependOnService'; Value = @($service.DependsOn | Where-Object { $_ }) }
    }
}

# A key that may not be read: the provider writes an error and does not say whether the key exists.
function Test-LockedKey {
    param([System.Management.Automation.PSCmdlet]$Cmdlet, [string]$Path)
    $locked = @(Get-Rows (Read-State) services | Where-Object { $_.Locked -and $Path -like "HKLM:\SYSTEM\CurrentControlSet\Services\$($_.Name)*" })
    if ($locked.Count -eq 0) { return $false }
    $exception = [System.Security.SecurityException]::new('Requested registry access is not allowed.')
    $Cmdlet.WriteError([System.Management.Automation.ErrorRecord]::new($exception, 'System.Security.SecurityException', 'PermissionDenied', $Path))
    $true
}

function Test-Path {
    [CmdletBinding()]
    param([Parameter(Position = 0)][string[]]$Path, [string[]]$LiteralPath, [string]$PathType)
    if ($LiteralPath -like 'HKLM:\*' -and (Test-LockedKey -Cmdlet $PSCmdlet -Path $LiteralPath[0])) { return }
    if ($LiteralPath -like 'HKLM:\*') { return Test-RegistryKey -Path $LiteralPath[0] }
    Microsoft.PowerShell.Management\Test-Path @PSBoundParameters
}

# A key that lost its last value still exists: registryKeys has those.
function Test-RegistryKey {
    param([string]$Path, $Rows = @(Get-RegistryRows))
    $keys = @($Rows | ForEach-Object { $_.Path }) + @(Get-Rows (Read-State) registryKeys)
    @($keys | Where-Object { $_ -eq $Path -or ([string]$_).StartsWith("$Path\", [System.StringComparison]::OrdinalIgnoreCase) }).Count -gt 0
}

# What the registry provider does with a key that does not exist (PowerShell/PowerShell RegistryProvider.cs).
function Test-MissingKey {
    param([System.Management.Automation.PSCmdlet]$Cmdlet, [string]$Path, $Rows = @(Get-RegistryRows))
    if (Test-RegistryKey -Path $Path -Rows $Rows) { return $false }
    $exception = [System.Management.Automation.ItemNotFoundException]::new("Cannot find path '$Path' because it does not exist.")
    $Cmdlet.WriteError([System.Management.Automation.ErrorRecord]::new($exception, 'PathNotFound', 'ObjectNotFound', $Path))
    $true
}

function Get-ItemProperty {
    [CmdletBinding()]
    param([string]$LiteralPath)
    if ($LiteralPath -notlike 'HKLM:\*') { return Microsoft.PowerShell.Management\Get-ItemProperty @PSBoundParameters }
    if (Test-LockedKey -Cmdlet $PSCmdlet -Path $LiteralPath) { return }
    $rows = @(Get-RegistryRows)
    if (Test-MissingKey -Cmdlet $PSCmdlet -Path $LiteralPath -Rows $rows) { return }
    $values = [ordered]@{ PSPath = $LiteralPath }
    foreach ($row in @($rows | Where-Object { $_.Path -eq $LiteralPath })) { $values[$row.Name] = $row.Value }
    [pscustomobject]$values
}

function New-ItemProperty {
    [CmdletBinding()]
    param([string]$LiteralPath, [string]$Name, $Value, [string]$PropertyType)
    if (Test-Fault $PSCmdlet) { return }
    if (Test-MissingKey -Cmdlet $PSCmdlet -Path $LiteralPath) { return }
    if (@(Get-RegistryRows | Where-Object { $_.Path -eq $LiteralPath -and $_.Name -eq $Name }).Count -gt 0) {
        $PSCmdlet.WriteError([System.Management.Automation.ErrorRecord]::new([System.IO.IOException]::new('The property already exists.'), 'System.IO.IOException', 'ResourceExists', $LiteralPath))
        return
    }
    Edit-State { param($state) Set-Rows $state registry (@(Get-Rows $state registry) + [pscustomobject]@{ Path = $LiteralPath; Name = $Name; Value = $Value }) }
}

function Remove-ItemProperty {
    [CmdletBinding()]
    param([string]$LiteralPath, [string]$Name)
    if (Test-Fault $PSCmdlet) { return }
    if (Test-MissingKey -Cmdlet $PSCmdlet -Path $LiteralPath) { return }
    if (@(Get-Rows (Read-State) registry | Where-Object { $_.Path -eq $LiteralPath -and $_.Name -eq $Name }).Count -eq 0) {
        $exception = [System.Management.Automation.PSArgumentException]::new("Property $Name does not exist at path $LiteralPath.")
        $PSCmdlet.WriteError([System.Management.Automation.ErrorRecord]::new($exception, 'System.Management.Automation.PSArgumentException', 'InvalidArgument', $Name))
        return
    }
    Edit-State {
        param($state)
        Set-Rows $state registry @(Get-Rows $state registry | Where-Object { $_.Path -ne $LiteralPath -or $_.Name -ne $Name })
        Set-Rows $state registryKeys @(@(Get-Rows $state registryKeys | Where-Object { $_ -ne $LiteralPath }) + $LiteralPath)
    }
}

# The OVS database: tables in the state exactly as `ovs-vsctl --format=json list` prints them.

function Get-OvsTable {
    param($State, [string]$Table)
    $State.sections.ovs.Tables.$Table
}

function Get-OvsRows {
    param($State, [string]$Table)
    $content = Get-OvsTable -State $State -Table $Table
    if ($null -eq $content) { return }
    foreach ($data in @($content.data)) {
        $row = [ordered]@{}
        for ($i = 0; $i -lt @($content.headings).Count; $i++) { $row[$content.headings[$i]] = $data[$i] }
        [pscustomobject]$row
    }
}

function Set-OvsRows {
    param($State, [string]$Table, $Rows)
    $content = Get-OvsTable -State $State -Table $Table
    $data = New-Object System.Collections.ArrayList
    foreach ($row in @($Rows)) {
        if ($null -eq $row) { continue }
        $cells = New-Object System.Collections.ArrayList
        foreach ($heading in @($content.headings)) { [void]$cells.Add($row.$heading) }
        [void]$data.Add($cells.ToArray())
    }
    $content.data = $data.ToArray()
}

# The uuids in a column: one ["uuid", x], or ["set", [["uuid", x], ...]].
function Get-OvsReference {
    param($Value)
    if ($Value[0] -eq 'uuid') { return $Value[1] }
    foreach ($member in @($Value[1])) { $member[1] }
}

function New-OvsReference {
    param($Uuids)
    $uuids = @($Uuids | Where-Object { $_ })
    if ($uuids.Count -eq 1) { return , @('uuid', $uuids[0]) }
    $members = New-Object System.Collections.ArrayList
    foreach ($uuid in $uuids) { [void]$members.Add(@('uuid', $uuid)) }
    , @('set', $members.ToArray())
}

function New-OvsRow {
    param($State, [string]$Table, [System.Collections.IDictionary]$Values)
    $row = [ordered]@{}
    foreach ($heading in @((Get-OvsTable -State $State -Table $Table).headings)) { $row[$heading] = @('set', @()) }
    foreach ($map in @('external_ids', 'other_config', 'options', 'status')) { if ($row.Contains($map)) { $row[$map] = @('map', @()) } }
    $row['_uuid'] = @('uuid', [guid]::NewGuid().ToString())
    foreach ($key in $Values.Keys) { $row[$key] = $Values[$key] }
    [pscustomobject]$row
}

function Invoke-OvsCommand {
    param($State, [string[]]$Words)
    $words = @($Words | Where-Object { $_ -notlike '--*' })
    switch ($words[0]) {
        'list' {
            $content = Get-OvsTable -State $State -Table $words[1]
            '{"data":' + (ConvertTo-Json -InputObject @($content.data) -Depth 20 -Compress) + ',"headings":' + (ConvertTo-Json -InputObject @($content.headings) -Compress) + '}'
        }
        'get-controller' { }
        'set-controller' { }
        'del-br' {
            $bridge = Get-OvsRows $State Bridge | Where-Object { $_.name -eq $words[1] }
            if ($null -eq $bridge) { return }
            $ports = @(Get-OvsReference $bridge.ports)
            $interfaces = @(Get-OvsRows $State Port | Where-Object { $ports -contains $_._uuid[1] } | ForEach-Object { Get-OvsReference $_.interfaces })
            Set-OvsRows $State Interface @(Get-OvsRows $State Interface | Where-Object { $interfaces -notcontains $_._uuid[1] })
            Set-OvsRows $State Port @(Get-OvsRows $State Port | Where-Object { $ports -notcontains $_._uuid[1] })
            Set-OvsRows $State Bridge @(Get-OvsRows $State Bridge | Where-Object { $_.name -ne $words[1] })
            Update-OvsRoot -State $State
        }
        'add-br' {
            if (@(Get-OvsRows $State Bridge | Where-Object { $_.name -eq $words[1] }).Count -gt 0) { return }
            Set-OvsRows $State Bridge (@(Get-OvsRows $State Bridge) + (New-OvsRow $State Bridge @{ name = $words[1]; datapath_type = '' }))
            Add-OvsPort -State $State -Bridge $words[1] -Name $words[1] -Type 'internal'
            Update-OvsRoot -State $State
        }
        'add-port' {
            if (@(Get-OvsRows $State Port | Where-Object { $_.name -eq $words[2] }).Count -eq 0) { Add-OvsPort -State $State -Bridge $words[1] -Name $words[2] -Type '' }
        }
        'set' {
            $rows = @(Get-OvsRows $State $words[1])
            foreach ($row in @($rows | Where-Object { $_.name -eq $words[2] })) {
                foreach ($setting in $words[3..($words.Count - 1)]) { Set-OvsColumn -Row $row -Setting $setting }
            }
            Set-OvsRows $State $words[1] $rows
        }
        default { throw "ovs-vsctl: unknown command '$($words[0])'" }
    }
}

function Add-OvsPort {
    param($State, [string]$Bridge, [string]$Name, [string]$Type)
    $interface = New-OvsRow $State Interface @{ name = $Name; type = $Type; ofport = -1 }
    $port = New-OvsRow $State Port @{ name = $Name; interfaces = $interface._uuid }
    Set-OvsRows $State Interface (@(Get-OvsRows $State Interface) + $interface)
    Set-OvsRows $State Port (@(Get-OvsRows $State Port) + $port)
    $bridges = @(Get-OvsRows $State Bridge)
    foreach ($row in @($bridges | Where-Object { $_.name -eq $Bridge })) { $row.ports = New-OvsReference (@(Get-OvsReference $row.ports) + $port._uuid[1]) }
    Set-OvsRows $State Bridge $bridges
}

function Update-OvsRoot {
    param($State)
    $roots = @(Get-OvsRows $State Open_vSwitch)
    foreach ($row in $roots) { if ($row.PSObject.Properties['bridges']) { $row.bridges = New-OvsReference @(Get-OvsRows $State Bridge | ForEach-Object { $_._uuid[1] }) } }
    Set-OvsRows $State Open_vSwitch $roots
}

# column=value or column:key=value, with values quoted as JSON strings where they need it.
function Set-OvsColumn {
    param($Row, [string]$Setting)
    if ($Setting -notmatch '^(?<column>\w+)(:(?<key>"(\\.|[^"\\])*"|[\w-]+))?=(?<value>.*)$') { throw "ovs-vsctl: cannot read '$Setting'" }
    $column = $Matches['column']
    $key = $Matches['key']
    $value = $Matches['value']
    if ($value -match '^".*"$') { $value = ConvertFrom-Json -InputObject $value } elseif ($value -match '^-?\d+$') { $value = [long]$value } elseif ($value -match '^(true|false)$') { $value = $value -eq 'true' }
    if (-not $key) { $Row.$column = $value; return }
    if ($key -match '^".*"$') { $key = ConvertFrom-Json -InputObject $key }
    $pairs = New-Object System.Collections.ArrayList
    foreach ($pair in @($Row.$column[1])) { if ($pair -and $pair[0] -ne $key) { [void]$pairs.Add($pair) } }
    [void]$pairs.Add(@($key, [string]$value))
    $Row.$column = @('map', $pairs.ToArray())
}

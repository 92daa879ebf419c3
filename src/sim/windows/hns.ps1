# HNS: HNSCall(method, path, body) returns an envelope with the output or the error.

function Invoke-HnsStub {
    param([string]$Method, [string]$Path, [string]$Body)
    $null, $kind, $id = $Path -split '/'
    $section = @{ networks = 'hnsNetworks'; endpoints = 'hnsEndpoints'; policylists = 'hnsPolicyLists'; namespaces = 'hnsNamespaces'; portpools = 'hnsPortPools' }[$kind]
    $state = Read-State
    $service = Get-Rows $state services | Where-Object { $_.Name -eq 'hns' } | Select-Object -First 1
    # The service is stopped: the call itself fails, without an envelope.
    if ($service -and $service.State -ne 'Running') { throw [System.Runtime.InteropServices.COMException]::new('The service has not been started.', 0x80070426) }
    $failure = $state.errors.$section
    if (-not $failure -and $kind -eq 'namespaces') { $failure = $state.errors.hnsEndpoints }
    if ($failure) {
        if ($failure.kind -eq 'Timeout') { Start-Sleep -Seconds 3600 }
        return New-Refusal -Message $failure.message -Code 2147500037
    }
    switch ($Method) {
        'GET' {
            $rows = if ($kind -eq 'namespaces' -and $null -eq $state.sections.hnsNamespaces) { Get-NamespaceRows -State $state } else { Get-Rows $state $section }
            return New-Envelope -Output ('[' + (@($rows | ForEach-Object { ConvertTo-Json -InputObject $_ -Depth 40 -Compress }) -join ',') + ']')
        }
        'DELETE' {
            if (@(Get-Rows $state $section | Where-Object { $_.ID -eq $id }).Count -eq 0) { return New-Refusal -Message 'Element not found. ' -Code 2147943568 }
            Edit-State {
                param($state)
                switch ($kind) {
                    'networks' { Remove-NetworkFromState -State $state -Id $id }
                    'endpoints' { Remove-EndpointFromState -State $state -Id $id }
                    'policylists' { Set-Rows $state hnsPolicyLists @(Get-Rows $state hnsPolicyLists | Where-Object { $_.ID -ne $id }) }
                }
            }
            return New-Envelope
        }
        'POST' {
            $object = ConvertFrom-StateText -Text $Body
            if ($kind -eq 'networks' -and @(Get-Rows $state hnsNetworks | Where-Object { $_.Name -eq $object.Name }).Count -gt 0) {
                return New-Refusal -Message 'A network with this name already exists. ' -Code 2151350288
            }
            if ($kind -eq 'endpoints' -and @(Get-Rows $state hnsNetworks | Where-Object { $_.ID -eq $object.VirtualNetwork }).Count -eq 0) {
                return New-Refusal -Message 'Element not found. ' -Code 2147943568
            }
            $object | Add-Member -NotePropertyName ID -NotePropertyValue ([guid]::NewGuid().ToString().ToUpperInvariant()) -Force
            Edit-State {
                param($state)
                if ($kind -eq 'networks') { Add-NetworkToState -State $state -Network $object; return }
                if ($kind -eq 'endpoints') { $object | Add-Member -NotePropertyName State -NotePropertyValue 1 -Force }
                if ($kind -eq 'policylists') { $object | Add-Member -NotePropertyName State -NotePropertyValue 2 -Force }
                Set-Rows $state $section (@(Get-Rows $state $section) + $object)
            }
            return New-Envelope -Output (ConvertTo-Json -InputObject $object -Depth 40 -Compress)
        }
    }
}

# One namespace per pod compartment, with its endpoints; the same as in derived.mjs.
function Get-NamespaceRows {
    param($State)
    $compartment = 1
    foreach ($group in @(Get-Rows $State hnsEndpoints | Where-Object { $_.Namespace.ID } | Group-Object -Property { $_.Namespace.ID })) {
        $compartment++
        [pscustomobject]@{
            ID = [string]$group.Group[0].Namespace.ID; CompartmentId = $compartment; IsDefault = $false
            ResourceList = @($group.Group | ForEach-Object { [pscustomobject]@{ Type = 'Endpoint'; Data = [pscustomobject]@{ Id = [string]$_.ID } } })
        }
    }
}

# Server 2019 has Success last, later versions first.
function New-Envelope {
    param([string]$Output)
    if (-not $Output) { return '{"Success":true}' }
    if ([string](Read-State).sections.os.BuildNumber -eq '17763') { return '{"Output":' + $Output + ',"Success":true}' }
    '{"Success":true,"Output":' + $Output + '}'
}

function New-Refusal {
    param([string]$Message, [long]$Code)
    '{"Error":' + (ConvertTo-Json -InputObject $Message) + ',"ErrorCode":' + $Code + ',"Success":false}'
}
